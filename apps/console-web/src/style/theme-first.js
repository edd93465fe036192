// Runs before the first paint: a theme that was chosen must not flash in the system's.
{
  const root = document.documentElement;
  try {
    for (const name of ['theme', 'density']) {
      const value = localStorage.getItem(`relata.${name}`);
      if (value) root.dataset[name] = value;
    }
  } catch {
    // Storage is switched off: the system's theme it is.
  }
}
