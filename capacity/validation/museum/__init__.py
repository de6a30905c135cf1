"""The load tests of the Getty Common Image Service report (2019), predicted from their lightest."""
