"""What an instructor needs: slides, a book on paper, and the course for a room of people."""
