import { expect, test } from 'vitest';
import { findIdAbove, startRows, meets, withMore, withPage } from './read-rows.ts';

/** Creates rows with these ids, newest first. `state` tells the rows of different reads apart. */
const rows = (ids: string, state = 'old') => ids.split('').map((id) => ({ id, state }));
const shown = (list: { rows: { id: string; state: string }[] }) =>
  list.rows.map(({ id, state }) => (state === 'old' ? id : id.toUpperCase())).join('');
const read = (ids: string, next: string | null) =>
  withMore(startRows({ data: rows(ids.slice(0, 3)), next: ids[2]! }), { data: rows(ids.slice(3)), next });

test('the newest page replaces the rows that it covers and adds new ones; older rows stay', () => {
  const list = withPage(read('hgfedc', 'c'), undefined, { data: rows('jih', 'new'), next: 'h' });
  expect([shown(list), list.next]).toEqual(['JIHgfedc', 'c']);
});

test('rows that no longer match disappear only from the part that was read again', () => {
  const list = withPage(read('hgfedc', 'c'), undefined, { data: rows('hf', 'new'), next: 'f' });
  expect(shown(list)).toBe('HFedc');
});

test('a page from the middle of the list replaces only the rows that it covers', () => {
  const list = withPage(read('hgfedc', 'c'), 'g', { data: rows('fd', 'new'), next: 'd' });
  expect([shown(list), list.next]).toEqual(['hgFDc', 'c']);
});

test('a page that reaches further than the list extends it, and the last page ends it', () => {
  const further = withPage(read('hgfedc', 'c'), 'e', { data: rows('dcb', 'new'), next: 'b' });
  expect([shown(further), further.next]).toEqual(['hgfeDCB', 'b']);
  const whole = withPage(read('hgfedc', 'c'), 'e', { data: rows('d', 'new'), next: null });
  expect([shown(whole), whole.next]).toEqual(['hgfeD', null]);
});

test('a list that was read to its end stays complete after a full page is read again', () => {
  const list = withPage(read('hgfedc', null), undefined, { data: rows('ihg', 'new'), next: 'g' });
  expect([shown(list), list.next]).toEqual(['IHGfedc', null]);
});

test('the newest page leaves a gap if it does not reach the rows read before', () => {
  expect(meets({ data: rows('zyx'), next: 'x' }, read('hgfedc', 'c'))).toBe(false);
  expect(meets({ data: rows('jih'), next: 'h' }, read('hgfedc', 'c'))).toBe(true);
  expect(meets({ data: rows('j'), next: null }, read('hgfedc', 'c'))).toBe(true);
});

test('visible rows are read again from the row above them, unless the newest page contains them', () => {
  const list = read('hgfedc', 'c');
  const newest = { data: rows('hgf'), next: 'f' };
  expect(findIdAbove(list, { from: 'e', to: 'd' }, newest)).toBe('f');
  expect(findIdAbove(list, { from: 'h', to: 'g' }, newest)).toBeUndefined();
  expect(findIdAbove(list, undefined, newest)).toBeUndefined();
});
