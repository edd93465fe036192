/** The author of an event. */
export interface Author {
  type: 'api_key' | 'run' | 'operator' | 'user' | 'system';
  id?: string | undefined;
  name?: string | undefined;
}

const unnamed: Record<Author['type'], string> = {
  api_key: 'a key',
  run: 'a workflow',
  operator: 'the terminal',
  user: 'a user',
  system: 'Relata itself',
};

/** In a few words. */
export function authorName({ type, name }: Author): string {
  if (!name) return unnamed[type];
  return type === 'api_key' ? `key ${name}` : name;
}
