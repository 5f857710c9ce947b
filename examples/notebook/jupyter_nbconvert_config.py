"""How nbconvert makes a page that asks no other host: figures come from the built site."""

c = get_config()  # noqa: F821
c.NbConvertBase.display_data_priority = [
    "text/html",
    "image/svg+xml",
    "image/png",
    "text/markdown",
    "text/plain",
]
c.HTMLExporter.require_js_url = ""
c.HTMLExporter.jquery_url = ""
c.HTMLExporter.mathjax_url = ""
c.HTMLExporter.mermaid_js_url = ""
c.HTMLExporter.widget_renderer_url = ""
c.ExecutePreprocessor.store_widget_state = False
