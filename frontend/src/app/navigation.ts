import {
  Boxes,
  CalendarClock,
  ChartGantt,
  Gauge,
  House,
  ListOrdered,
  type LucideIcon,
  ReceiptText,
  ScrollText,
  Server,
  ServerCog,
  SquareTerminal,
  Tags,
  Users,
} from 'lucide-react';

export interface Place {
  path: string;
  title: string;
  icon: LucideIcon;
}

export interface Section {
  title?: string;
  admin?: boolean;
  places: readonly Place[];
}

export const sections: readonly Section[] = [
  {
    places: [
      { path: '/', title: 'Home', icon: House },
      { path: '/sessions', title: 'Sessions', icon: SquareTerminal },
      { path: '/jobs', title: 'Jobs', icon: Boxes },
    ],
  },
  {
    title: 'Cluster',
    places: [
      { path: '/cluster', title: 'Overview', icon: Gauge },
      { path: '/queue', title: 'Queue', icon: ListOrdered },
      { path: '/timeline', title: 'Timeline', icon: ChartGantt },
      { path: '/nodes', title: 'Nodes', icon: Server },
      { path: '/reservations', title: 'Reservations', icon: CalendarClock },
    ],
  },
  { title: 'Money', places: [{ path: '/usage', title: 'Usage', icon: ReceiptText }] },
  {
    title: 'Admin',
    admin: true,
    places: [
      { path: '/admin/people', title: 'People', icon: Users },
      { path: '/admin/prices', title: 'Prices', icon: Tags },
      { path: '/admin/audit', title: 'Audit', icon: ScrollText },
      { path: '/admin/system', title: 'System', icon: ServerCog },
    ],
  },
];
