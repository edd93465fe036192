import { Slots } from '@relata/runtime';
import { expect, test } from 'vitest';
import { Place } from './place.ts';

const { signal } = new AbortController();

function newPlaces() {
  const freed: string[] = [];
  const places = { runs: new Slots(2), calls: new Slots(2), onFree: () => void freed.push('free') };
  return { places, freed };
}

test('a run that calls gives up its place for work, and takes it again before it gives up the one for calls', async () => {
  const { places, freed } = newPlaces();
  const [first, second] = [new Place(places, 'a'), new Place(places, 'a')];
  expect([first.take(), second.take()]).toEqual([true, false]);
  first.leave();
  expect([freed.length, second.take(), places.calls.free]).toEqual([1, true, 1]);
  const returned = first.return(signal);
  expect(places.calls.free).toBe(1);
  second.free();
  await returned;
  expect([places.runs.free, places.calls.free]).toEqual([1, 2]);
  first.free();
  expect(places.runs.free).toBe(2);
});

test('a run keeps its place for work during a call where no place for calls is free', () => {
  const { places, freed } = newPlaces();
  places.calls.take(['a']);
  const place = new Place(places, 'a');
  place.take();
  place.leave();
  expect([freed.length, places.runs.free]).toEqual([0, 1]);
});

test('a run that stops waiting for its place gives up the place that it has', async () => {
  const { places } = newPlaces();
  const [first, second] = [new Place(places, 'a'), new Place(places, 'a')];
  first.take();
  first.leave();
  second.take();
  const leaving = new AbortController();
  const returned = first.return(leaving.signal);
  leaving.abort(new Error('lost'));
  await expect(returned).rejects.toThrow('lost');
  first.free();
  second.free();
  expect([places.runs.free, places.calls.free, places.runs.waiting]).toEqual([2, 2, 0]);
});
