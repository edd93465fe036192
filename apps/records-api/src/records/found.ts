import { AppError } from '@relata/schemas';

/** Wraps a record, or says that there is none; another organization's record is as absent as any. */
export async function found<Rec>(record: Promise<Rec | undefined>): Promise<{ data: Rec }> {
  const data = await record;
  if (data === undefined) throw new AppError('not_found', 'There is no such record.');
  return { data };
}
