import type { Sample } from './kind.ts';

/** Returns a sample form post, for kinds of senders without a vendor (header, basic, query). */
export function sampleForm(id: string): Sample {
  const body = {
    id,
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    company: 'Example Robotics',
    message: 'We would like a demo.',
  };
  return { headers: {}, body };
}
