import { setImmediate } from 'node:timers/promises';
import { AppError } from '@relata/schemas/errors';
import { type Delivery, type DeliverySearch, searchDeliveryBodies } from '@relata/workflows/deliveries';
import type { CommandContext } from '../../command/command.ts';
import { CliError } from '../../output/cli.error.ts';
import type { DeliveryPage } from './refused.ts';

/** Maximum number of search pages per command. Each examines up to 1,000 deliveries. */
const pagesMax = 100;

/** Exactly one of `text` and `where` is given. */
interface SearchedPage extends DeliveryPage {
  text: string | undefined;
  where: string | undefined;
}

/**
 * Searches deliveries for a text or with an expression. Reports how far back it has searched, and on how many
 * deliveries the expression failed.
 */
export async function listSearched(
  { database, afterwards }: CommandContext,
  orgId: string,
  { limit, before, ...search }: SearchedPage,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  const all: Looked = { lookedAt: 0, failed: 0, firstFault: undefined };
  let last: DeliverySearch | undefined;
  for (let page = 0; page < pagesMax && found.length < limit && (!last || last.next); page++) {
    const given = { ...search, limit: limit - found.length, before: last ? last.next : before };
    last = await named(searchDeliveryBodies({ database, takeTurn: () => setImmediate() }, orgId, given));
    found.push(...last.deliveries);
    all.lookedAt += last.lookedAt;
    all.failed += last.failed;
    all.firstFault ??= last.firstFault;
  }
  for (const sentence of sentencesOn(last!, all)) afterwards(sentence);
  return found;
}

type Looked = Pick<DeliverySearch, 'lookedAt' | 'failed' | 'firstFault'>;

function sentencesOn({ lookedBackTo, next }: DeliverySearch, { lookedAt, failed, firstFault }: Looked): string[] {
  const searched = `${count(lookedAt)} ${lookedAt === 1 ? 'delivery' : 'deliveries'}.`;
  const extent = next
    ? `Searched back to ${lookedBackTo!}: ${searched} Continue: --before ${next}`
    : `Searched to the end: ${searched}`;
  if (!firstFault) return [extent];
  return [
    extent,
    `The expression failed on ${count(failed)} of them, first on ${firstFault.id}: ${firstFault.message}`,
  ];
}

const count = (value: number) => value.toLocaleString('en-US');

/** Reports an invalid expression as a problem of its option. */
async function named<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const detail = error instanceof AppError ? error.details?.find(({ field }) => field === 'where') : undefined;
    throw detail ? new CliError('validation_error', `--where: ${detail.message}`, { cause: error }) : error;
  }
}
