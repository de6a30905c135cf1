"""Export: everything that is published, as plain files that outlive the service, and back again."""
