export { type Channel, channelTextMax, type ChannelOptions, createChannel } from './channel.ts';
export { ChannelError, type ChannelErrorCode } from './channel.error.ts';
export { type ChannelKind, channelKinds, channelSettings } from './channel.settings.ts';
export type { Form } from './read-form.ts';
