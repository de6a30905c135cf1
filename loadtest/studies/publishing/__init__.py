"""What publishing a table of objects takes."""
