"""`vitrine collection`: publish, harvest, schedule, export and roll back collections."""
