import type { DemoRequest, DemoRequestError, Resent } from '@relata/demo-requests';
import { indented, printable, recordText } from '../../output/result.format.ts';

export function demoRequestText({ message, last_error, ...fields }: DemoRequest): string {
  const record = recordText({ ...fields, last_error: last_error && errorText(last_error) });
  return message === null ? record : `${record}\n\nMESSAGE\n${indented(message)}`;
}

export function errorText({ code, message }: Pick<DemoRequestError, 'code' | 'message'>): string {
  return `${message} (${code})`;
}

export function resentText({ id, name, work_email: workEmail, error }: Resent): string {
  return printable(`${id}  ${name} <${workEmail}>: ${error ? `not sent. ${errorText(error)}` : 'sent.'}`);
}

export function resentTotalText(resent: readonly Resent[]): string {
  if (resent.length === 0) return 'There was nothing to send.';
  return `${resent.filter(({ is_sent: isSent }) => isSent).length} of ${resent.length} sent.`;
}
