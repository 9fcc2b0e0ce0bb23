"""What ``draftgate doctor`` looks at, joined: who reads each area's facts, and what judges them."""
