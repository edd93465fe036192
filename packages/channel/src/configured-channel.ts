import { type Settings, SettingsError } from '@relata/runtime';
import type { ChannelKind, channelSettings } from './channel.settings.ts';
import { detectChannelKind } from './detect-kind.ts';

/**
 * Returns the webhook of the settings and its kind; undefined without a webhook. Throws a SettingsError if the webhook
 * belongs to a different product than the kind: it could accept a message in the wrong format and not show it.
 */
export function configuredChannel({
  TEAM_CHANNEL_WEBHOOK_URL: url,
  TEAM_CHANNEL_KIND: kind,
}: Settings<typeof channelSettings>): { url: string; kind: ChannelKind } | undefined {
  if (url === undefined) return undefined;
  const detected = detectChannelKind(new URL(url));
  if (kind && detected && kind !== detected)
    throw new SettingsError(
      `TEAM_CHANNEL_KIND is ${kind}, but the host of TEAM_CHANNEL_WEBHOOK_URL belongs to ${detected}. Unset ` +
        'TEAM_CHANNEL_KIND or correct the URL.',
    );
  return { url, kind: kind ?? detected ?? 'slack' };
}
