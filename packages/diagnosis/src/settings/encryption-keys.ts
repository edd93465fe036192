import type { Db } from '@relata/db';
import { SettingsError } from '@relata/runtime';
import { checkOn, fault, type KeysSetting, ok, warning } from '../check.ts';
import { formatCount, formatNames } from '../format.ts';
import { countNotifyChannels, countSecrets, countSigningSecrets } from './encryption-keys.sql.ts';

interface Sealed {
  name: string;
  setting: KeysSetting;
  what: string;
  who: string;
  count(db: Db): Promise<{ key_id: string; sealed: number }[]>;
}

/** Checks that stored values can be decrypted. Names keys by their ids, which reveal nothing about the keys. */
const keysCheck = ({ name, setting, what, who, count }: Sealed) =>
  checkOn('database', name, async ({ database, keysOf }) => {
    const stored = await count(database);
    const total = stored.reduce((sum, { sealed }) => sum + sealed, 0);
    if (total === 0) return ok(`There are no ${what}.`);
    const keys = readable(() => keysOf(setting));
    if (keys === 'unreadable')
      return fault(
        `${setting} is not a list of keys, so ${formatCount(total, 'value')} of ${what} cannot be read.`,
        `Set ${setting} to the keys that you stored: each 32 bytes in base64 or hex, separated by commas.`,
      );
    // Other processes may have the setting even if this process does not.
    if (!keys)
      return warning(
        `There are ${formatCount(total, 'value')} of ${what}, and ${setting} is not set here.`,
        `Set ${setting} for the ${who}, and run this command with it too.`,
      );
    const unknown = stored.filter(({ key_id: id }) => !keys.some((key) => key.id === id));
    if (unknown.length === 0) return ok(`${setting} has the keys of all ${what}.`);
    const lost = unknown.reduce((sum, { sealed }) => sum + sealed, 0);
    return fault(
      `${formatCount(lost, 'value')} of ${what} need the keys ${formatNames(unknown.map((key) => key.key_id))}, which ${setting} lacks.`,
      `Add these keys to ${setting} again, or set new secrets.`,
    );
  });

/** Returns the keys, or `unreadable` if the setting is malformed. */
function readable<Keys>(read: () => Keys): Keys | 'unreadable' {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingsError) return 'unreadable';
    throw error;
  }
}

export const secretKeys = keysCheck({
  name: 'secrets-key',
  setting: 'SECRETS_KEY',
  what: 'secrets of organizations',
  who: 'workers',
  count: countSecrets,
});

export const signingKeys = keysCheck({
  name: 'signing-keys',
  setting: 'SIGNING_KEYS',
  what: 'secrets of senders that sign',
  who: 'receivers and the console',
  count: countSigningSecrets,
});

export const notifyKeys = keysCheck({
  name: 'notify-keys',
  setting: 'NOTIFY_KEYS',
  what: 'team channels of organizations',
  who: 'workers and the console',
  count: countNotifyChannels,
});
