"""The schemas of files: checking data against them, and finding the way in them."""
