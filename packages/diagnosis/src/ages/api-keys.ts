import { checkOn, fault, ok, warning } from '../check.ts';
import { formatCount } from '../format.ts';
import { countEndingKeys } from './api-keys.sql.ts';

/** Checks that no key in use has expired or expires soon. */
export const apiKeys = checkOn('database', 'api-keys', async ({ database }) => {
  const { selected, expired, expiring } = await countEndingKeys(database);
  if (selected > 0)
    return fault(
      `${formatCount(selected, 'active trigger')} with a revoked or expired key: every delivery is refused.`,
      'Select another key with relata triggers select-key.',
    );
  const advice = 'List them with relata keys list, and replace them with relata keys rotate.';
  if (expired > 0) return warning(`${formatCount(expired, 'key')} expired within the last week while in use.`, advice);
  if (expiring > 0) return warning(`${formatCount(expiring, 'key')} in use will expire within a week.`, advice);
  return ok('No key in use has expired or is about to.');
});
