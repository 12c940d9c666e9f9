"""What a person writes and reads: records, frozen, without behaviour past validation."""
