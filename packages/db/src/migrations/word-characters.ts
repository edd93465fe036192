// Characters of Unicode 17. This list must never change: the words in an index would no longer match those of a search.

/** First and last code point of each range. */
export type Ranges = readonly (readonly [first: number, last: number])[];

/** Reads ranges in base 36: the distance from the previous range, and the length. */
function readRanges(text: string): Ranges {
  let at = 0;
  return text
    .trim()
    .split(/\s+/)
    .map((each) => {
      const [distance, length = 0] = each.split('-').map((part) => Number.parseInt(part, 36));
      const first = at + distance!;
      at = first + length;
      return [first, at] as const;
    });
}

/** Letters and digits of all scripts: the general categories L and N. */
export const lettersAndDigits = readRanges(`
    1c-9 8-p 7-p 1c 8-1 2 4-1 2-2 2-m 2-u 2-cp 5-b f-4 8 2 3m-4 2-1 3-3 2 7 2-2 2 2-j 2-2a 2-3u 9-4l 2-11 3
    7-14 20-q 5-3 1a-16 m-9 5-1 2-2q 2 g-1 8-e 3 h 2-t u-2g c f-16 a-1 5 6-l 5 a 4 o-o 8-a 6-n 2-6 h-15 1n-1h
    4 j 8-9 5-9 2-f 5-7 3-1 3-l 2-6 2 4-3 4 h e-1 2-2 5-b 3-5 3 9-5 5-1 3-l 2-6 2-1 2-1 2-1 w-3 2 8-9 3-2 h-8
    2-2 2-l 2-6 2-1 2-4 4 j g-1 5-9 a c-7 3-1 3-l 2-6 2-1 2-4 4 v-1 2-2 5-9 2-6 c 2-5 4-2 2-3 4-1 2 2-1 4-1
    4-2 4-b n m-c j-7 2-2 2-m 2-f 4 r-2 2-1 3-1 5-9 9-6 2 5-7 2-2 2-m 2-9 2-4 4 v-2 2-1 5-9 2-1 i-8 2-2 2-14 3
    h 6-2 2-9 5-i 2-5 6-h 4-n 2-8 2 3-6 w-9 i-1b 2-1 d-6 a-9 14-1 2 2-4 2-n 2 2-9 2-1 a 3-4 2 a-9 3-3 x w-j
    d-7 2-z s-4 38-16 l-a 7-5 5-3 4 4-1 8-2 5-c d 2-9 7-11 2 6 3-16 2-98 2-3 3-6 2 2-3 3-14 2-3 3-w 2-3 3-6 2
    2-3 3-e 2-1k 2-3 3-1u f-j 4-f h-2d 3-5 4-h7 3-g 2-p 6-22 4-a 8-h e-i f-h f-c 2-2 g-1f 10 5 4-9 7-9 n-9
    7-2g 8-4 3-x 2 6-1x b-u 14-13 3-4 c-17 5-p 7-a 12-m a-1g 18-9 7-9 e 2m-1a i-7 4-9 16-t e-1j r-z t-9 4-1c
    3-a 6-16 3-2 16-3 2-5 2-1 4 6-5b 1t-7p 3-5 3-11 3-5 3-7 2 2 2 2-u 3-1g 2-6 2 4-2 2-6 4-3 3-5 5-c 6-2 2-6
    38-1 3-5 6-a 7-c 2u 5 3-9 2 4-4 7 2 2 2-3 2-a 3-3 6-4 5 2-1l k7-1n 27-l hj-t vh-6c 7-3 4-1 a 3-11 2 6 3-1j
    8 h-m a-6 2-6 2-6 2-6 2-6 2-6 2-6 2-6 29 d2-2 q-8 8-4 3-4 5-2d 7-2 2-2h 2-3 6-16 2-2l 4-3 b-v 1d-f x-9 v-7
    2-e x-9 14-e 8x-533 1t-h3g 1w-19 3-7g 4-r l-1a h-u 3-27 14-8 3-2u 3-29 l-g 2-2 2-3 2-m e-5 b-1f f-1d t-9
    p-5 4 2-1 2-11 b-m q-s 8-1a t-a 7-4 2-o 2-14 o-2 2-7 5-9 7-m 4 4-1d 2 4-1 3-4 3 2 p-2 3-a 8-2 d-5 3-5 3-5
    a-6 2-6 2-16 2-d 7-36 e-9 7-8mb d-m 5-1c 6it-a5 3-2x 13-6 d-4 6 2-9 2-c 2-4 2 2-1 2-1 2-2z y-a2 j-1r 3-1h
    15-b 39-4 2-3q k-9 8-p 7-p c-2g 4-5 3-5 3-5 3-2 10-b 2-p 2-i 2-1 2-e 3-d z-3e d-18 d-1k i-1 6t-s 4-1c h-q
    5-z a-t 6-11 b-t 3-z 5-7 2-4 17-4d 3-9 7-z 5-z 5-13 9-1f d-a 2-e 2-6 2-1 2-a 2-e 2-6 2-1 4-1f d-8m a-l b-7
    p-5 2-15 2-8 1y-5 3 2-17 2-1 4 3-m 3-u 3-11 9-8 1d-i 2-1 6-w 5-p 7-p 13-1j 5-j 3-1a g-3 2-2 2-s b-8 o-u
    2-v x-7 2-r 7-4 h-1h b-l 3-q 6-p o-6 29-20 1k-1e e-1e 8-15 d-9 7-11 a-m 63-u 2-15 7-1 h-5 1l-13 9-l c-3
    s-h 1b-r l-m d-1g r-t 2-1 3 e-18 x-o 8-9 a-z g-9 5 3 9-y 4 d-1b f-3 c-a 2 5-j c-h 2-o k-1 1s-6 2 2-3 2-e
    2-9 8-1a i-9 c-7 3-1 3-l 2-6 2-1 2-4 4 j d-4 v-9 2 3 2-11 2 q 2 19-1g j-3 6-9 6-2 v-1b l-1 2 9-9 4n-1a
    16-3 11-1b l c-9 13-16 e 8-9 7-j t-q m-b 5-6 56-17 39-2a d-7 3 3-7 2-1 2-n g 2 f-9 1z-7 3-12 h 2 t b-13 8
    m c-19 k j-20 5k-w g-9 7-8 2-10 i g-s 6-t 35-6 2-1 2-11 m a-9 7-5 2-1 2-v f 8-9 7-17 5-9 6v-i g 2-c 2-x
    t-9 2f g-k 18-pl 2v-32 i-5f 219-2o g-tr i-5 q-32y 6-g6 5a2-t j-9 1c7-fs 8-u 2-9 7-26 2-9 7-t j-1b h-3 d-9
    2-6 2-k 6-i c1-18 4-9 5j-2e a-o 3-o 19-22 6 1v-c 1t-1 2 f-4 a-5p1 16-v 2q-36 6pq-3 2-6 2-1 2-82 g u-2 3
    f-3 9-az 1s5-2y 6-c 4-8 8-9 387-9 153-j d-j 31-o 3s-2c 2-1y 2-1 3 3-1 3-3 2-b 2 2-6 2-1s 2-3 3-7 2-6 2-r
    2-3 2-4 2 4-6 2-9f 3-o 2-o 2-u 2-o 2-u 2-o 2-u 2-o 2-u 2-o 2-7 3-1d 1dt-u 7-5 7a-1p 43-18 b-6 3-9 5 8y-t
    j-17 5-9 d3-r 5-9 5z-t 3-a 5i-u 2-2 2-1 2-6 3-4 a-1 69-6 2-3 2-1 2-e 2-5g 3-8 1d-1v 8 5-9 m0-1m 2-2 2-3
    25-18 2-e 5f-3 2-q 2-1 2 3 2-9 2-3 2 2 7 5 2 2 2-2 2-1 2 3 2 2 2 2 2-1 2 3-3 2-6 2-3 2-3 2 2-9 2-g 6-2 2-4
    2-g g5-c 25g-9 sn-wyn x-3dp 3-4gd 3-5rk g-h9 1wj-f1 15v-3t6 6-6jt
`);

/** Marks, such as combining accents and vowel signs: the general category M. */
export const marks = readRanges(`
    lc-33 7o-6 7c-18 2 2-1 2-1 2 21-a 1d-k h 2u-6 3-5 3-1 2-3 10 v-q 2k-a 1n-8 a p-3 2-8 2-2 2-4 18-2 1o-8
    17-n 2-w 1j-2 2-h 2-6 b-1 u-2 1l 2-6 3-1 3-2 a b-1 r 3-2 1l 2-4 5-1 3-2 4 v-1 4 c-2 1l 2-7 2-2 2-2 l-1 n-5
    2-2 1l 2-6 3-1 3-2 8-2 b-1 v 1o-4 4-2 2-3 a 15-4 1k 2-6 2-2 2-3 8-1 c-1 u-2 1l 2-6 2-2 2-3 8-1 c-1 g d-3
    1k-1 2-6 2-2 2-3 a b-1 u-2 1z 5-5 2 2-7 j-1 1q 3-6 d-7 2r 3-8 c-6 22-1 s 2 2 5-1 1e-j 2-1 6-a 2-z a 2t-j
    o-3 5-2 2-2 3-6 4-3 e-b 2 b-3 jk-2 qb-3 t-2 u-1 v-1 1t-v a 1a-2 2 3a-1 z 3b-b 5-b 64-4 1m-9 2-s 3 1d-19
    3-b l-4 1c-g 13-8 d-2 v-c 1l-d 1d-j 49-2 2-k 5 7 3-2 5j-1r k1-w 2db-2 3y 2p-v ff-5 2y-1 n9x-3 2-9 x-1 29-1
    7l 4 5 o-4 5 2c-1 1f-h r-h e 13-7 q-c 19-3 1c-d 11 1w-d d 9-1 1a-2 1f 2-2 3-1 6-1 2 16-4 6-1 6l-7 2-1 fn5
    ki-f h-f r2 6b 46-4 1af-2 2-1 6-3 15-2 5 4m-1 fy-3 1u-4 8u-1 26-5 1z-a 1e-3 3f-2 1i-e 16 3-1 b-3 1a-a 8
    1q-2 11-d h-1 19 d-2 1d-d 9-3 2-1 2l-b 7 3 4e-b m-3 1k-1 2-6 3-1 3-2 a b-1 3-6 4-4 1w-8 2 3 2-3 2-4 2 f-1
    2b-h o 2a-j 6k-6 3-8 s-1 2b-g 2z-c 2u-e 75-e 6u-5 2-1 3-3 2 2-1 3y-6 3-6 4 t-9 15-6 2-3 9 a-a 1b-f 5j-7
    5k-7 2-7 2b-l 2-d 3f-5 4 2-1 2-6 2 1v-4 2-1 2-4 9o-3 a-1 2 1d-6 4-4 o 44m 7-e 8uh-h 1xd-4 1o-6 t5 2-1i 8-3
    2a c-1 f58-1 3mq-19 3-m f3-4 4-5 9-7 3-6 v-3 45-2 1j0-1i 5-1d 9 f n-4 2-e 11t-6 2-g 3-6 2-1 2-4 2t 4h-6 ag
    1q-3 e5-3 73-1 6s 3 8-1 6 d7-6 32-6 gzhy-6n
`);

/**
 * Lower case of each letter, as one character; letters that NFC replaces are left out. A final sigma becomes an
 * ordinary sigma, and the dotted I of Turkish becomes an i.
 */
export const lowerCase = readCases(`
    1t,w,q 3j,w,n o,w,7 14,1,o,2 1c,-5j 2,1,3,2 7,1,8,2 h,1,n,2 1a,-3d 1,1,3,2 8,5u 1,1,2,2 4,5q 1,1 2,5p,2
    2,1 3,27 1,5m 1,5n 1,1 2,5p 1,5r 2,5v 1,5t 1,1 4,5v 1,5x 2,5y 1,1,3,2 6,62 1,1 2,62 3,1 2,62 1,1 2,61,2
    2,1,2,2 4,63 1,1 4,1 8,2 1,1 2,2 1,1 2,2 1,1,9,2 j,1,9,2 j,2 1,1,2,2 4,-2p 1,-1k 1,1,k,2 14,-3m 2,1,9,2
    o,8bv 1,1 2,-4j 1,8bs 3,1 2,-5f 1,1x 1,1z 1,1,5,2 8a,1,2,2 6,1 9,38 7,12 2,11,3 4,1s 2,1r,2 3,w,h i,w,9
    v,1 d,8 9,1,c,2 s,-1o 3,1 2,-7 1,1 3,-3m,3 3,28,g g,w,w 28,1,h,2 16,1,r,2 1i,f 1,1,7,2 f,1,1c,2 2p,1c,12
    29b,5ls,12 13,5ls 6,5ls k3,tzk,28 28,8,6 1p5,1 7,-2bk,17 19,-2bk,3 8z,1,23,2 4e,-5vj 2,1,1c,2 2w,-8,8
    g,-8,6 g,-8,8 g,-8,8 g,-8,6 h,-8,4,2 f,-8,8 w,-8,8 g,-8,8 g,-8,8 g,-8,2 2,-22 2,-9 c,-2e,2,2 4,-9 c,-8,2
    2,-2s e,-8,2 2,-34 2,-7 c,-3k 2,-3i 2,-9 8m,s 1a,g,g z,1 22l,1c,1c 2o,1 2,-8af 1,-2xy 1,-89z 3,1,3,2
    6,-8bg 1,-8al 1,-8bj 1,-8bi 2,1 3,1 9,-8cf,2 2,1,1e,2 2z,1,2,2 7,1 nym,1,n,2 1s,1,e,2 4i,1,7,2 g,1,v,2
    1z,1,2,2 4,-r9g 1,1,5,2 d,1 2,-wmg 3,1,2,2 6,1,a,2 k,-wn8 1,-wnj 1,-wnf 1,-wn5 1,-wn8 2,-wlu 1,-wmi 1,-wlx
    1,ps 1,1,8,2 g,-1c 1,-wn7 1,-raw 1,1,2,2 4,-wo7 1,1,8,2 g,-wu9 p,1 h7w,w,q yn,14,14 4w,14,10 5c,13,b
    c,13,f g,13,7 8,13,2 1d8,1s,1f 5s,w,m 28g,w,w gww,w,w 2o,r,p o68,y,y
`);

/**
 * Reads runs in base 36: the distance from the previous run, the distance to the lower-case letters, the number of
 * letters and their step.
 */
function readCases(text: string): ReadonlyMap<string, string> {
  const cases = new Map<string, string>();
  let at = 0;
  for (const run of text.trim().split(/\s+/)) {
    const [distance, toLower, count = 1, step = 1] = run.split(',').map((part) => Number.parseInt(part, 36));
    at += distance!;
    for (let i = 0; i < count; i++) {
      const upper = at + i * step;
      cases.set(String.fromCodePoint(upper), String.fromCodePoint(upper + toLower!));
    }
  }
  return cases;
}
