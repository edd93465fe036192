import { cutToFit } from './cut-to-fit.ts';

/** A message may have 32,000 bytes: https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create */
const messageBytesMax = 32_000;

/**
 * A message for a webhook of Google Chat, where `<users/all>` notifies everyone and `<url|text>` hides an address
 * (https://developers.google.com/workspace/chat/format-messages). There is no way to escape the brackets, so that none
 * may be left: they become others that look alike.
 */
export function formatGoogleChat(text: string): object {
  const inert = text.replaceAll('<', '‹').replaceAll('>', '›');
  return message(
    cutToFit(inert, (candidate) => Buffer.byteLength(JSON.stringify(message(candidate))) <= messageBytesMax),
  );
}

const message = (text: string) => ({ text });
