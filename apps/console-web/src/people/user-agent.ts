const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** A user agent in two words, as far as it is a known one; a guide for the eye, not a fact. */
export function browserOf(userAgent: string): string {
  const of = (list: readonly (readonly [mark: string, name: string])[]) =>
    list.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [of(browsers), of(systems)];
  if (!browser) return userAgent.slice(0, 40) || 'Unknown';
  return system ? `${browser} on ${system}` : browser;
}
