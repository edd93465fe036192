export {
  listOrganizationsToReencryptChannels,
  reencryptNotifyChannel,
  removeNotifyChannel,
  requestTestMessage,
  setNotifyChannel,
} from './channel/notify-channel.operations.ts';
export { findNotifyChannel, type NotifyChannel } from './channel/notify-channel.sql.ts';
export { dropOldNotes, dropOldNotices } from './notices/retention.sql.ts';
export { Notifier, type NotifierOptions } from './notices/notifier.ts';
