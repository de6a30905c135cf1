"""Image tasks are replaced, interrupted and lose processes under load: nobody notices."""
