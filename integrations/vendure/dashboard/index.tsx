/** What the plugin adds to Vendure's dashboard: how a customer stands, and how the connection is. Vendure builds it with its own tools. */
import { defineDashboardExtension } from '@vendure/dashboard';
import { ConnectionPage } from './connection-page';
import { CustomerBlock } from './customer-block';

defineDashboardExtension({
  routes: [
    {
      path: '/loyalty',
      loader: () => ({ breadcrumb: 'Loyalty' }),
      navMenuItem: { id: 'loyalty', title: 'Loyalty', sectionId: 'marketing' },
      component: ConnectionPage,
    },
  ],
  pageBlocks: [
    {
      id: 'loyalty-customer',
      title: 'Loyalty',
      location: {
        pageId: 'customer-detail',
        column: 'side',
        position: { blockId: 'groups', order: 'after' },
      },
      component: CustomerBlock,
    },
  ],
});
