export { type Channel, createChannel } from './channel.ts';
export { ChannelError } from './channel.error.ts';
export { type ChannelKind, channelKinds, channelSettings } from './channel.settings.ts';
export { configuredChannel } from './configured-channel.ts';
export { onOneLine } from './clean-text.ts';
export { detectChannelKind } from './detect-kind.ts';
export type { Form, FormField } from './read-form.ts';
