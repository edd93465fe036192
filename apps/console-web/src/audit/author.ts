export interface Author {
  type: 'api_key' | 'run' | 'operator' | 'user' | 'system';
  name?: string | undefined;
}

const unnamed: Record<Author['type'], string> = {
  api_key: 'API key',
  run: 'Workflow',
  operator: 'Operator (CLI)',
  user: 'User',
  system: 'Relata',
};

export function authorName({ type, name }: Author): string {
  if (!name) return unnamed[type];
  return type === 'api_key' ? `API key ${name}` : name;
}
