// Runs before the first paint, so that the system's theme does not flash before the chosen one.
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
    // Applies a choice made in another tab.
    addEventListener('storage', apply);
  } catch {
    // Storage is disabled, so the system's theme is used.
  }
}
