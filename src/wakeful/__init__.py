"""Wakeful decides when an automation should wake."""
