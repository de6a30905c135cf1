"""Real photographs and a spreadsheet are published by one command that is killed and resumed."""
