/**
 * Sets how much of the screen a touch keyboard leaves free, for the styles: `dvh` does not include it. By a sheet of its own,
 * so that no element needs a style attribute. Returns what ends it.
 */
export function followViewport(root: ShadowRoot): () => void {
  const view = window.visualViewport;
  if (!view) return () => undefined;
  const sheet = new CSSStyleSheet();
  const update = () => {
    // While a visitor has zoomed in with two fingers, the sheet stays as it is.
    if (view.scale > 1.01) return;
    sheet.replaceSync(`:host { --_view-height: ${view.height}px; --_view-top: ${view.offsetTop}px; }`);
  };
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  update();
  view.addEventListener('resize', update);
  view.addEventListener('scroll', update);
  return () => {
    view.removeEventListener('resize', update);
    view.removeEventListener('scroll', update);
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
