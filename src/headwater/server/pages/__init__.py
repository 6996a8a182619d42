"""Lists of everything, in pages: jobs, datasets, runs and events, each with filters, an order and a cursor."""

from headwater.server.pages import datasets, events, jobs, runs

ROUTES = (*jobs.ROUTES, *datasets.ROUTES, *runs.ROUTES, *events.ROUTES)
