"""What is asked of a provider, and what it gave: scopes, the types behind them, and what came along."""
