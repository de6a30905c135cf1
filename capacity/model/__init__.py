"""The whole service simulated: viewers, edge, load balancer, tasks, object store, autoscaler."""
