"""What a lecturer hands out and shows: student notebooks, pages with solutions, slides; made from tags of cells."""
