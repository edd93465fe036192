// Runs before the first paint: a theme that was chosen must not flash in the system's.
{
  const root = document.documentElement;
  const apply = () => {
    for (const name of ['theme', 'density']) {
      const value = localStorage.getItem(`relata.${name}`);
      if (value) root.dataset[name] = value;
      else delete root.dataset[name];
    }
  };
  try {
    apply();
    // Another tab has chosen.
    addEventListener('storage', apply);
  } catch {
    // Storage is disabled, so the system's theme is used.
  }
}
