"""From plain data and files to records, with every problem named."""
