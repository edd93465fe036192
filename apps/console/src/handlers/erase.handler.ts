import type { OwnTransactionOptions } from '@relata/db';
import type { HandlerContext } from '@relata/http';
import { erasureMeta, eraseUnit, recordTables } from '@relata/records';
import { isUuid } from '@relata/schemas';
import { noSuchRecord } from '@relata/schemas/errors';
import { type OrgCaller, toActor } from '../session/console-caller.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';

type Given = Pick<Parameters<ConsoleHandlers['eraseRecord']>[0], 'params' | 'body'>;

export function eraseHandlers({ executor }: ConsoleContext) {
  const erase = async (
    { params: { id }, body }: Given,
    { caller, exchange }: HandlerContext<OrgCaller>,
    how: OwnTransactionOptions,
  ) => {
    if (!isUuid(id)) throw noSuchRecord();
    const { resource, cascade, activities } = body;
    const table = recordTables.find(({ eventName }) => eventName === resource)!;
    const isDryRun = how.rollsBack === true;
    const unit = eraseUnit(toActor(caller, exchange.requestId), table, { id, cascade, activities }, { isDryRun });
    const { action: _erased, ...done } = erasureMeta(
      await executor.runAlone(unit, { ...how, isBulk: true, sender: exchange }),
    );
    return { data: done };
  };
  return {
    previewErase: (given, context) => erase(given, context, { rollsBack: true }),
    eraseRecord: (given, context) => erase(given, context, {}),
  } satisfies Partial<ConsoleHandlers>;
}
