"""For all tests: nothing is judged by the clock, which measures the machine's other work too."""

import hypothesis

hypothesis.settings.register_profile("fingal", deadline=None)
hypothesis.settings.load_profile("fingal")
