"""How records of one kind become rows: recipes that several sources share."""
