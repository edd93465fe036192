import { mapUnit, type Unit } from '@relata/db';
import type { Actor } from '@relata/events';
import { explainBrokenId, parseIfMatch } from '@relata/http';
import {
  createUnit,
  deleteUnit,
  type Deletion,
  deletionMeta,
  type LinkBudget,
  upsertKeys,
  newUpsert,
  type Patch,
  patchUnit,
  type RecordTable,
  type Upsert,
} from '@relata/records';
import { type BatchKind, deleteItem, isUuid, nilId, updateItem } from '@relata/schemas';
import { AppError, type ErrorDetail, notAnId, readPart, validationError } from '@relata/schemas/errors';
import { ignoredIn } from '../ignored-fields.ts';
import { type RecordPart, recordParts } from '../reference-details.ts';
import { type SentUpsert, type UpsertBody, upsertOne, valueParts } from '../upsert-one.ts';

/** Result of an item: the status and the body that a single call would have returned. */
export interface ItemDone {
  status: number;
  data: unknown;
  meta: object;
}

/** A well-formed item. */
export interface BatchItem {
  index: number;
  /** Keys of the records that the item changes. Items that share a key are executed in order. */
  keys: readonly string[];
  /**
   * Names of the fields by which the record is found. Items with different fields may refer to the same record without
   * sharing a key.
   */
  foundBy: string;
  unit(actor: Actor, batch: AroundItem): Unit<ItemDone>;
}

/**
 * Context of an item in its batch. `room` limits how many other records its deletes change; `isStored` is true if the
 * response may be stored.
 */
type AroundItem = Pick<Upsert, 'isStored'> & { room: LinkBudget };

/** A malformed item. Missing references of its record are reported, too. */
export interface FaultyItem {
  index: number;
  details: ErrorDetail[];
  unnamed: number;
  records: readonly RecordPart[];
}

/**
 * Reads an item. Returns a FaultyItem if the item violates its schema; throws AppError for a delete with an invalid id.
 */
export type ReadItem = (orgId: string, item: unknown, index: number) => BatchItem | FaultyItem;

/**
 * Returns a reader for each kind of item. The schema of the body already refuses kinds that the table does not support.
 */
export function itemReaders(table: RecordTable<unknown>, trashDays: number): Record<BatchKind, ReadItem> {
  const { resource } = table;
  const patch = updateItem(resource.update);
  return {
    create: (_orgId, item, index) =>
      readItem<Fields>({ schema: resource.create!, item, index, parts: undefined }, (fields) => ({
        index,
        keys: [],
        foundBy: '',
        unit: (actor) => create(actor, table, fields),
      })),
    update: (_orgId, item, index) =>
      readItem<PatchItem>({ schema: patch, item, index, parts: ['set'] }, (given) => {
        const change = patchOf(given);
        return { index, keys: [change.id], foundBy: 'id', unit: (actor) => update(actor, table, given.id, change) };
      }),
    delete: (_orgId, item, index) =>
      readItem<DeleteItem>({ schema: deleteItem, item, index, parts: [] }, (given) => {
        const deletion = deletionOf(given);
        const unit = (actor: Actor, { room }: AroundItem) => remove(actor, table, { ...deletion, room }, trashDays);
        return { index, keys: [deletion.id], foundBy: 'id', unit };
      }),
    upsert: (orgId, item, index) =>
      readItem<UpsertBody>({ schema: resource.upsert!, item, index, parts: valueParts }, (body) => {
        const upserted = newUpsert(table, body);
        const keys = upsertKeys(orgId, table, upserted);
        const sent = { body, given: { ...upserted, keys } };
        const foundBy = upserted.match.map(([name]) => name).join();
        const unit = (actor: Actor, { isStored }: AroundItem) => upsert(actor, table, { ...sent, isStored });
        return { index, keys: keys.map((key) => key.toLowerCase()), foundBy, unit };
      }),
  };
}

type Fields = Record<string, unknown>;

interface DeleteItem {
  id: string;
  if_match?: string;
}

interface PatchItem extends DeleteItem {
  set: Fields;
}

interface GivenItem extends Pick<FaultyItem, 'index'> {
  schema: Parameters<typeof readPart>[1];
  item: unknown;
  /** Members of the item that contain fields of the record; undefined if the item itself contains them. */
  parts: readonly string[] | undefined;
}

function readItem<Item>({ schema, item, index, parts }: GivenItem, wellFormed: (item: Item) => BatchItem) {
  const { value, details, unnamed } = readPart('body', schema, item);
  if (details.length === 0) return wellFormed(value as Item);
  return { index, details, unnamed, records: recordParts(item, parts) };
}

/**
 * Returns the patch of an item. A malformed id counts as the id of an unknown record, as it does in a path, so that
 * problems of the patch are reported first.
 */
function patchOf({ id, set: patch, if_match: ifMatch }: PatchItem): Patch {
  return { id: isUuid(id) ? id.toLowerCase() : nilId, patch, ifMatch: parseIfMatch(ifMatch) };
}

function deletionOf({ id, if_match: ifMatch }: DeleteItem) {
  if (!isUuid(id)) throw notAnId();
  return { id: id.toLowerCase(), ifMatch: parseIfMatch(ifMatch) };
}

function create(actor: Actor, table: RecordTable<unknown>, fields: Fields): Unit<ItemDone> {
  return mapUnit(createUnit(actor, table, fields), (data) => {
    return { status: 201, data, meta: { action: 'created', ...ignoredIn(table, fields, data) } };
  });
}

function update(actor: Actor, table: RecordTable<unknown>, id: string, change: Patch): Unit<ItemDone> {
  const done = ({ record: data, ...meta }: { record: unknown }) => {
    return { status: 200, data, meta: { ...meta, ...ignoredIn(table, change.patch, data) } };
  };
  return mapUnit(patchUnit(actor, table, change), done, (error) => inSet(explainBrokenId(error, { id })));
}

/** Returns the error with `set.`, the member with the patch, in front of its fields. */
function inSet(error: unknown): unknown {
  if (!(error instanceof AppError) || !error.details) return error;
  return validationError(error.details.map((detail) => ({ ...detail, field: `set.${detail.field}` })));
}

function remove(actor: Actor, table: RecordTable<unknown>, given: Deletion, trashDays: number): Unit<ItemDone> {
  return mapUnit(deleteUnit(actor, table, given), (deleted) => {
    return { status: 200, data: deleted.record, meta: deletionMeta(deleted, trashDays) };
  });
}

function upsert(actor: Actor, table: RecordTable<unknown>, sent: SentUpsert): Unit<ItemDone> {
  return mapUnit(upsertOne(actor, table, sent), ({ data, meta }) => {
    return { status: meta.action === 'created' ? 201 : 200, data, meta };
  });
}
