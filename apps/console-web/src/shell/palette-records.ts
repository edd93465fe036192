import { useEffect, useState } from 'react';
import { useCall } from '../api/queries.ts';
import type { FoundRecord } from '../api/types.ts';
import type { Membership } from './org.ts';

const pauseMs = 250;
const charactersMin = 2;
const charactersMax = 255;

/** Records that have the text as a whole value, looked up once typing pauses. */
export function useFoundRecords(current: Membership | undefined, text: string) {
  const value = text.trim();
  const settled = useSettled(value);
  const isEnabled = current !== undefined && settled.length >= charactersMin && settled.length <= charactersMax;
  const input = { params: { org: current?.organization.id ?? '' }, query: { value: settled } };
  const { data, isLoading } = useCall('findRecords', input, { isEnabled });
  const isOfNow = isEnabled && settled === value;
  const found: readonly FoundRecord[] = isOfNow ? (data?.data ?? []) : [];
  return { found, isLooking: isLoading || settled !== value };
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
