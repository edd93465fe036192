import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Maximum distance from the end at which a reader counts as being at the end, in pixels. */
const nearPx = 40;

/**
 * Keeps an element scrolled to its end until the reader scrolls up. A new `turn` scrolls back to the end, since the
 * reader has just asked something. `form` identifies a new form, which is shown from its beginning.
 */
export function useBottom(scroller: RefObject<HTMLElement | null>, turn: string | undefined, form: string | undefined) {
  const isFollowing = useRef(true);
  const [isAtBottom, setIsAtBottom] = useState(true);
  const follow = () => {
    const element = scroller.current;
    if (element && isFollowing.current) element.scrollTop = element.scrollHeight;
  };
  const jump = () => {
    isFollowing.current = true;
    setIsAtBottom(true);
    follow();
  };
  useLayoutEffect(jump, [turn]);
  useLayoutEffect(() => {
    if (form === undefined || !isFollowing.current) return;
    isFollowing.current = false;
    scroller.current?.querySelector('.answer:last-child')?.scrollIntoView({ block: 'start' });
  }, [form]);
  useLayoutEffect(follow);
  useEffect(() => {
    const observer = new ResizeObserver(follow);
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, []);
  const onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = scroller.current!;
    isFollowing.current = scrollHeight - scrollTop - clientHeight <= nearPx;
    setIsAtBottom(isFollowing.current);
  };
  return { isAtBottom, onScroll, jump };
}
