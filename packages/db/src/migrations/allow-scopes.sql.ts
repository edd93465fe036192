/**
 * A statement after which keys may hold these scopes and no others. Named in full, since a migration stays what it was:
 * those of `packages/schemas/src/scopes.ts`, and those that the release before may still give to a key.
 */
export function allowScopes(scopes: readonly string[]): string {
  const list = scopes.map((scope) => `'${scope.replaceAll("'", "''")}'`).join(', ');
  return `
    ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check,
      ADD CONSTRAINT api_keys_scopes_check CHECK (scopes <@ ARRAY[${list}]);`;
}
