"""A course in MyST and reStructuredText, with furo, pydata_sphinx_theme or sphinx_book_theme."""

project = "A course on embeddings"
extensions = ["myst_parser", "app.sphinx"]
html_theme = "furo"
# write your own address in the place of /lab/
embedding_lab_site = "/lab/"
# what pydata and the themes made from it begin with
html_context = {"default_mode": "auto"}
