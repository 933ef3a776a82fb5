"""The machine's Firefox, driven by Playwright over WebDriver BiDi, and what BiDi lacks."""
