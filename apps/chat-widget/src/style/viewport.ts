/**
 * Provides the styles with the height that a touch keyboard leaves free, because `dvh` ignores the keyboard. Uses a
 * separate style sheet, so that no element needs a style attribute. Returns a function that stops the updates.
 */
export function followViewport(root: ShadowRoot): () => void {
  const view = window.visualViewport;
  if (!view) return () => undefined;
  const sheet = new CSSStyleSheet();
  const update = () => {
    // Keeps the panel's size while the visitor has zoomed in with two fingers.
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
