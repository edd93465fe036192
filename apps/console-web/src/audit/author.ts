/** The author of an event. */
export interface Author {
  type: 'api_key' | 'run' | 'operator' | 'user' | 'system';
  id?: string | undefined;
  name?: string | undefined;
}

const unnamed: Record<Author['type'], string> = {
  api_key: 'API key',
  run: 'Workflow',
  operator: 'Operator (CLI)',
  user: 'User',
  system: 'Relata',
};

/** Returns the name to show for the author of a change. */
export function authorName({ type, name }: Author): string {
  if (!name) return unnamed[type];
  return type === 'api_key' ? `API key ${name}` : name;
}
