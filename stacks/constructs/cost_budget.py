"""A budget with a mail before it is spent, for an environment's resources by their tags."""

from aws_cdk import aws_budgets as budgets
from constructs import Construct

from stacks.environments import Environment

FORECAST_PERCENT = 100
SPENT_PERCENT = 80


class CostBudget(Construct):
    """The month's budget: a mail at 80 % spent, and when AWS forecasts more than all of it.

    It counts what has the environment's tag `env`; in the billing console the tag has to be
    activated once as a cost allocation tag (docs/runbooks/the-bill-is-high.md).
    """

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, dollars: int, address: str
    ) -> None:
        super().__init__(scope, id_)
        mail = budgets.CfnBudget.SubscriberProperty(address=address, subscription_type="EMAIL")

        def when(kind: str, percent: int) -> budgets.CfnBudget.NotificationWithSubscribersProperty:
            return budgets.CfnBudget.NotificationWithSubscribersProperty(
                notification=budgets.CfnBudget.NotificationProperty(
                    comparison_operator="GREATER_THAN",
                    notification_type=kind,
                    threshold=percent,
                    threshold_type="PERCENTAGE",
                ),
                subscribers=[mail],
            )

        budgets.CfnBudget(
            self,
            "Month",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_name=f"vitrine-{environment.name}",
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(amount=dollars, unit="USD"),
                cost_filters={"TagKeyValue": [f"user:env${environment.name}"]},
            ),
            notifications_with_subscribers=[
                when("ACTUAL", SPENT_PERCENT),
                when("FORECASTED", FORECAST_PERCENT),
            ],
        )
