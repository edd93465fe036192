import { checkOn, ok, warning } from '../check.ts';
import { formatCount, formatDuration } from '../format.ts';
import { countUnsent, unsentMax } from './demo-requests.sql.ts';

/** Age, in seconds, from which an unsent request is reported; a younger request may be in flight. */
const secondsMax = 300;

/** Checks that the demo requests of visitors have reached the team's channel. */
export const demoRequests = checkOn('database', 'demo-requests', async ({ database }) => {
  const { unsent, oldest } = await countUnsent(database);
  if (oldest === null || oldest < secondsMax) return ok('No demo request has waited for more than 5 minutes.');
  const count = unsent === unsentMax ? `${unsent} demo requests or more` : formatCount(unsent, 'demo request');
  return warning(
    `${count} not sent, the oldest ${formatDuration(oldest)} old.`,
    'Check TEAM_CHANNEL_WEBHOOK_URL, then run relata demo-requests resend --unsent.',
  );
});
