import type { Panel, Section } from '../panel.ts';

/** Panels of one app, beside those that every app has. */
export interface OwnPanels {
  /** Operations that last as long as their callers want, which durations leave out. */
  lasting?: readonly string[];
  /** Alerts on how long its requests take. */
  slow?: Pick<Panel, 'alerts' | 'drawsAlerts'>;
  /** Before the panels of every app. */
  sections: readonly Section[];
}
